/** A post or a media item by its title, for those who remove it. */
export interface Titled {
  id: number
  title: string
  created_at: string
}

/** Rows of a list: how many to leave out, and how many to read at most. */
export interface RowRange {
  first: number
  count: number
}
