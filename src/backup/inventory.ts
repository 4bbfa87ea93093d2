import { BackupError, Contents, type Member, memberNames, rowsName, Schema, Sequences } from './archive.ts'
import { parseMember, type ReadMember, textOf } from './reader.ts'

/** The members of an archive that describe its content. */
interface Parts {
  schema: Schema
  sequences: Sequences
  contents: Contents
}

/** Records the members of an archive while it is read, and tells at the end whether any is missing. */
export class Inventory {
  readonly #parts: Partial<Parts> = {}
  /** How many parts of the rows of each table have been read. */
  readonly #rows = new Map<string, number>()
  /** The attempts of repositories whose last file has been read. */
  readonly #whole = new Set<string>()

  /**
   * Reads the JSON members, and counts the others.
   * @throws BackupError for rows that are out of place, or a damaged member
   */
  async take({ member, name, content }: ReadMember): Promise<void> {
    const parts = this.#parts
    if (member.kind === 'schema') parts.schema = parseMember(Schema, await textOf(content), name)
    if (member.kind === 'sequences') parts.sequences = parseMember(Sequences, await textOf(content), name)
    if (member.kind === 'contents') parts.contents = parseMember(Contents, await textOf(content), name)
    if (member.kind === 'rows') this.#takeRows(member, name)
    if (member.kind === 'repository' && member.path === 'HEAD') this.#whole.add(member.directory)
  }

  #takeRows({ table }: Member & { kind: 'rows' }, name: string): void {
    const part = this.#rows.get(table) ?? 0
    const isKnown = this.#parts.schema?.tables.some((each) => each.name === table)
    if (!isKnown || name !== rowsName(table, part))
      throw new BackupError(`the backup has rows of ${table} out of place`)
    this.#rows.set(table, part + 1)
  }

  /** The schema. @throws BackupError when it has not been read yet */
  schema(): Schema {
    return present(this.#parts.schema, 'schema')
  }

  /** The descriptions of the complete archive. @throws BackupError when a part of it is missing */
  complete(): Parts {
    const parts = {
      schema: this.schema(),
      sequences: present(this.#parts.sequences, 'sequences'),
      contents: present(this.#parts.contents, 'contents'),
    }
    const table = parts.schema.tables.find(({ name }) => !this.#rows.has(name))
    if (table) throw new BackupError(`the backup has no rows of ${table.name}`)
    const { repositories } = parts.contents
    const missing = repositories.find(({ id, attempt }) => !this.#whole.has(`${id}-${attempt}`))
    if (missing) throw new BackupError(`the backup lacks the repository ${missing.id}-${missing.attempt}`)
    if (new Set(repositories.map(({ id }) => id)).size < repositories.length)
      throw new BackupError(`${memberNames.contents} names a repository twice`)
    return parts
  }
}

function present<Part>(part: Part | undefined, kind: 'schema' | 'sequences' | 'contents'): Part {
  if (part === undefined) throw new BackupError(`the backup lacks ${memberNames[kind]}`)
  return part
}
