import { randomUUID } from 'node:crypto'
import { openSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'

/** A file that is deleted at once and exists only while it is open, even after a crash; undefined if creation fails. */
export function openNameless(folder: string): number | undefined {
  const path = join(folder, `nameless-${randomUUID()}`)
  try {
    const file = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
    return file
  } catch {
    return undefined
  }
}
