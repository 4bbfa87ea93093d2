/** The rows of a statement. */
export const allRows = async <Row>(statement: PromiseLike<Row[]>): Promise<Row[]> => await statement

/** The first row of a statement; undefined: there is none. */
export async function firstRow<Row>(statement: PromiseLike<readonly Row[]>): Promise<Row | undefined> {
  const [row] = await statement
  return row
}

/** The row of a statement that always has one. */
export async function onlyRow<Row>(statement: PromiseLike<readonly [Row]>): Promise<Row> {
  const [row] = await statement
  return row
}

/** Whether a statement finds or changes any row. */
export async function anyRow(statement: PromiseLike<{ count: number }>): Promise<boolean> {
  const { count } = await statement
  return count > 0
}

/** How many rows a statement finds or changes. */
export async function rowCount(statement: PromiseLike<{ count: number }>): Promise<number> {
  const { count } = await statement
  return count
}

/** The ids of the rows of a statement. */
export async function rowIds(statement: PromiseLike<readonly { id: number }[]>): Promise<number[]> {
  const rows = await statement
  return rows.map(({ id }) => id)
}
