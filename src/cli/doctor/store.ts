import type { Blobs } from '../../blobs/blobs.ts'
import { StoreError } from '../../blobs/store-error.ts'
import { storeAdvice } from '../store.ts'
import { type Finding, failed, ok } from './finding.ts'

const advice: Readonly<Record<StoreError['kind'], string>> = {
  away: 'check that the store runs, and that S3_URL has its address',
  denied: storeAdvice,
  full: 'free some space in the store',
  damaged: 'check the disks of the store',
}

/** Writes, reads and removes an object in the store of packages. */
export async function checkStore(blobs: Blobs): Promise<Finding> {
  try {
    await blobs.check('write')
    return ok('store', 'stores and returns package contents')
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return failed('store', error.message, advice[error.kind])
  }
}
