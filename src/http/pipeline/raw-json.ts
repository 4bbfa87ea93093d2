/**
 * JSON that the database has written, sent as it came: for lists that are read so often that making objects of their
 * rows, and text of those again, would be most of the work. The text must have the shape that the route declares.
 */
export class Written<Value> {
  /** What the text means; there is nothing at run time. */
  declare protected readonly meaning: Value

  constructor(readonly bytes: Buffer) {}
}
