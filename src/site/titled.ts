/** A post or a media item by its title, for those who change or remove it. */
export interface Titled {
  id: number
  title: string
  created_at: string
}

/** The same in the trash. */
export interface RemovedTitle extends Titled {
  removed_at: string
}

/** Rows of a list: how many to leave out, and how many to read at most. */
export interface RowRange {
  first: number
  count: number
}
