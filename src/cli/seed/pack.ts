import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { flush, packet } from '../../git/http/pkt-line.ts'

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

/** Types of objects and their numbers in a pack (gitformat-pack(5)). */
const kinds = { commit: 1, tree: 2, blob: 3 } as const

/** Makes git objects without the git program, and the push that sends them. Equal drafts give equal ids. */
export class Pack {
  readonly #objects = new Map<string, Buffer>()

  /** Adds the commit with its trees and files; gives its id. */
  commit({ parent, files, author, at, message }: CommitDraft): string {
    const who = `${author.name} <${author.email}> ${Math.floor(at.getTime() / 1000)} +0000`
    const lines = [
      `tree ${this.#tree(files)}`,
      parent && `parent ${parent}`,
      `author ${who}`,
      `committer ${who}`,
    ]
    return this.#add('commit', Buffer.from(`${lines.filter(Boolean).join('\n')}\n\n${message}\n`))
  }

  /** The body of a request that creates these refs (gitprotocol-pack(5), "Reference Update Request"). */
  pushOf(refs: Readonly<Record<string, string>>): Buffer {
    const commands = Object.entries(refs).map(([ref, id]) => `${'0'.repeat(40)} ${id} ${ref}`)
    const lines = commands.map((line, at) => packet(at === 0 ? `${line}\0report-status` : line))
    return Buffer.concat([...lines, flush, this.#bytes()])
  }

  #tree(files: Files): string {
    const folders = new Map<string, Record<string, string>>()
    const entries: { name: string; mode: string; id: string }[] = []
    for (const [path, text] of Object.entries(files)) {
      const [name = '', ...rest] = path.split('/')
      if (rest.length === 0) entries.push({ name, mode: '100644', id: this.#add('blob', Buffer.from(text)) })
      else folders.set(name, { ...folders.get(name), [rest.join('/')]: text })
    }
    for (const [name, inside] of folders) entries.push({ name, mode: '40000', id: this.#tree(inside) })
    // Git sorts a folder as if its name ended with a slash.
    const key = ({ name, mode }: { name: string; mode: string }) => (mode === '40000' ? `${name}/` : name)
    entries.sort((a, b) => Buffer.compare(Buffer.from(key(a)), Buffer.from(key(b))))
    return this.#add(
      'tree',
      Buffer.concat(
        entries.flatMap(({ name, mode, id }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
      ),
    )
  }

  #add(kind: keyof typeof kinds, content: Buffer): string {
    const id = createHash('sha1').update(`${kind} ${content.length}\0`).update(content).digest('hex')
    this.#objects.set(id, Buffer.concat([headOf(kinds[kind], content.length), deflateSync(content)]))
    return id
  }

  #bytes(): Buffer {
    const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
    head.writeUInt32BE(this.#objects.size, 8)
    const pack = Buffer.concat([head, ...this.#objects.values()])
    return Buffer.concat([pack, createHash('sha1').update(pack).digest()])
  }
}

/** Type and size of an object in a pack: four bits of the size, then seven in each further byte. */
function headOf(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)]
  for (let rest = size >> 4; rest > 0; rest >>= 7) {
    bytes.push((bytes.pop() ?? 0) | 128)
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}
