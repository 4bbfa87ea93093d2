import { flush, packet } from '../../git/http/pkt-line.ts'
import { commitObject } from '../../git/repository/first-commit.ts'
import { packOf } from '../../git/repository/pack-file.ts'
import { folderMode, type StoredEntry, treeObject } from '../../git/repository/tree-object.ts'
import { newObject, type ObjectType } from '../../git/repository/write-objects.ts'

/** Files of a commit: texts by path, which may lead through folders. */
export type Files = Readonly<Record<string, string>>

/** A commit on top of `parent`; `files` are all that it contains. */
interface CommitDraft {
  parent?: string | undefined
  files: Files
  author: { name: string; email: string }
  at: Date
  message: string
}

/** Makes git objects without the git program, and the push that sends them. Equal drafts give equal ids. */
export class Pack {
  readonly #objects = new Map<string, { type: ObjectType; content: Buffer }>()

  /** Adds the commit with its trees and files; returns its id. */
  commit({ parent, files, author, at, message }: CommitDraft): string {
    const signature = { ...author, at }
    const parents = parent === undefined ? [] : [parent]
    const tree = this.#tree(files)
    const commit = { tree, parents, author: signature, committer: signature, message: `${message}\n` }
    return this.#add('commit', commitObject(commit))
  }

  /** The body of a request that creates these refs (gitprotocol-pack(5), "Reference Update Request"). */
  pushOf(refs: Readonly<Record<string, string>>): Buffer {
    const commands = Object.entries(refs).map(([ref, id]) => `${'0'.repeat(40)} ${id} ${ref}`)
    const lines = commands.map((line, at) => packet(at === 0 ? `${line}\0report-status` : line))
    return Buffer.concat([...lines, flush, packOf('sha1', [...this.#objects.values()])])
  }

  #tree(files: Files): string {
    const folders = new Map<string, Record<string, string>>()
    const entries: StoredEntry[] = []
    for (const [path, text] of Object.entries(files)) {
      const [name = '', ...rest] = path.split('/')
      if (rest.length > 0) folders.set(name, { ...folders.get(name), [rest.join('/')]: text })
      else entries.push({ name: Buffer.from(name), mode: '100644', id: this.#add('blob', Buffer.from(text)) })
    }
    for (const [name, inside] of folders)
      entries.push({ name: Buffer.from(name), mode: folderMode, id: this.#tree(inside) })
    return this.#add('tree', treeObject(entries))
  }

  #add(type: ObjectType, content: Buffer): string {
    const { id } = newObject('sha1', type, content)
    this.#objects.set(id, { type, content })
    return id
  }
}
