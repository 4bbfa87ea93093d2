/** Words that the original's property names spell in capitals. */
const INITIALISMS: ReadonlySet<string> = new Set(['id', 'url', 'sha', 'ssh', 'gpg', 'html', 'http', 'api'])

/**
 * The internal name of a JSON member, which validation messages print: `full_name` → `FullName`, `source_id` →
 * `SourceID`. Members whose internal name differs (`new_username` is `NewName`) declare it.
 */
export function propertyName(member: string): string {
  return member
    .split('_')
    .map((word) =>
      INITIALISMS.has(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1),
    )
    .join('')
}

/**
 * The name of a property's form field: `UserName` → `user_name`, `SourceID` → `source_id`, `FilePath` → `file_path`.
 */
export function formName(property: string): string {
  return property
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
}
