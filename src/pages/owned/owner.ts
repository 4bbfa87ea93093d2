import type { ForgeAccess } from '../../forge/auth/access.ts'
import type { Caller } from '../../forge/auth/caller.ts'
import type { Html } from '../html.ts'
import type { OnRequest } from '../operations/perform.ts'

/** Whose page somebody asks for, with what the operations of the API need to know of it. */
export type Params = Readonly<Record<string, string>>

/** What a page of a section shows. */
interface SectionParts {
  /** The path of the section, below the settings of its owner. */
  section: string
  title: string
  main: Html
}

/** A repository, an organization or a person: who may see its settings, and what their pages share. */
export interface Owner<Who extends Caller> {
  rule: ForgeAccess<Who>
  /** The parameters in the paths of operations that name it. */
  params: (who: Who) => Params
  /** The path of its settings, without a slash at its start. */
  path: (who: Who) => string
  /** The id of a repository. */
  repository?: (who: Who) => number
  /** Whether a page has forms for the caller; absent: it has. */
  mayChange?: (who: Who) => boolean
  /** A page of its settings. */
  page: (who: Who & OnRequest, parts: SectionParts) => Promise<string> | string
}

/** The address of a section of the settings of an owner. */
export const sectionAddress = <Who extends Caller>(
  owner: Owner<Who>,
  who: Who & OnRequest,
  section: string,
): string => `${who.request.from.host}${owner.path(who)}/${section}`
