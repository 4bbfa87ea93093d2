import type { Texts } from './packed.ts'

/**
 * The full text of every licence on the SPDX list, by identifier, including deprecated short ones (`GPL-3.0`). Only the
 * build reads the package; it is not in the product.
 */
export async function spdxLicenses(): Promise<Texts> {
  const { default: list } = await import('spdx-license-list/full.js')
  const texts = Object.entries(list).map(
    ([key, { licenseText }]) => [key, `${licenseText.trim()}\n`] as const,
  )
  return new Map(texts.sort(([a], [b]) => (a < b ? -1 : 1)))
}
