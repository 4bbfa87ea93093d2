import { done } from '../../../common/outcome.ts'
import type { OpenRepository } from '../../../git/program/git.ts'
import type { GitOutcome } from '../../../git/program/outcome.ts'
import { readTree } from '../../../git/repository/folder.ts'
import { readObject } from '../../../git/repository/objects.ts'
import type { LicenseDetector } from '../../templates/license-detector.ts'

/** `LICENSE`, `LICENCE.md`, `LICENSE-MIT`, `COPYING`, `UNLICENSE`. */
const hasLicense = /^(?:(?:un)?licen[cs]e|copying)(?:[.-].*)?$/i

/** Maximum number of such files, and bytes of each, that are read. */
const max = { files: 4, bytes: 128 * 1024 }

/** The licences in the root folder of a commit; none for an undefined commit. Faults: those of git. */
export async function licensesAt(
  repository: OpenRepository,
  commit: string | undefined,
  detector: LicenseDetector,
): Promise<GitOutcome<string[]>> {
  if (commit === undefined) return done([])
  const entries = await readTree(repository, commit)
  if (!entries.ok) return entries
  const files = entries.value.filter(({ kind, name }) => kind === 'file' && hasLicense.test(name))
  const names = new Set<string>()
  for (const { id } of files.slice(0, max.files)) {
    const file = await readObject(repository, id, max.bytes)
    if (!file.ok) return file
    for (const name of await detector.namesIn(file.value?.content.toString('utf8') ?? '')) names.add(name)
  }
  return done([...names])
}
