import { renameBranchOfPulls } from '../pulls/pull-store.ts'
import type { RefRequest } from './change-refs.ts'

/** Lets the pull requests that are not merged follow a branch of the caller's repository to its new name (short names). */
export const followRename = (
  { begin, caller }: RefRequest,
  names: { from: string; to: string },
): Promise<void> => begin((tx) => renameBranchOfPulls(tx, caller.repo.id, names))
