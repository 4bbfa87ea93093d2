/**
 * JSON text built by the database and sent unchanged. For lists that are read so often that parsing their rows and
 * serializing them again would be most of the work. The text must have the shape that the route declares.
 */
export class RawJson<Value> {
  /** The type of the JSON value; exists at compile time only. */
  declare protected readonly meaning: Value

  constructor(readonly bytes: Buffer) {}
}
