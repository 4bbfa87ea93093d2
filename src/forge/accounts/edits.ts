/** An object whose members may all be undefined. */
export type WithUndefined<Of> = { [Name in keyof Of]?: Of[Name] | undefined }

/** Drops undefined members, which would overwrite stored values and cannot be parameters of a statement. */
export function withoutUndefined<Edit extends object>(
  edit: Edit,
): { [Name in keyof Edit]?: Exclude<Edit[Name], undefined> } {
  return Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof withoutUndefined<Edit>
  >
}

/** The members of an edit that are defined and differ from the stored ones. */
export function changedMembers<Row extends object>(stored: Row, edit: WithUndefined<Row>): Partial<Row> {
  const changed = Object.entries(withoutUndefined(edit)).filter(
    ([name, value]) => value !== stored[name as keyof Row],
  )
  return Object.fromEntries(changed) as Partial<Row>
}
