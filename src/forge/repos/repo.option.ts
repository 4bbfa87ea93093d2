import { REPOSITORY_NAME_MAX } from '../accounts/names.ts'
import { flag, integers, option, optionalFlag, optionalText, text } from '../protocol/fields.ts'
import { alphaDashDot, gitRefName, maxSize, oneOf, required, url } from '../protocol/rules.ts'
import { SETTINGS } from './repo.shape.ts'

/** CreateRepoOption of the specification. */
export const CreateRepoOption = option('CreateRepoOption', {
  name: text(required, alphaDashDot, maxSize(REPOSITORY_NAME_MAX)),
  description: text(maxSize(2048)),
  private: flag(),
  issue_labels: text(maxSize(255)),
  auto_init: flag(),
  template: flag(),
  gitignores: text(),
  license: text(maxSize(100)),
  readme: text(maxSize(255)),
  default_branch: text(gitRefName, maxSize(100)),
  /** Accepted for compatibility and ignored: this server signs no commits. */
  trust_model: text(),
  object_format_name: text(maxSize(6), oneOf(['', 'sha1', 'sha256'])),
})

/** TransferRepoOption of the original. */
export const TransferRepoOption = option('TransferRepoOption', {
  new_owner: text(required),
  team_ids: integers(),
})

const styles = ['', 'merge', 'rebase', 'rebase-merge', 'squash', 'fast-forward-only', 'manually-merged']

/** EditRepoOption of the specification, without mirrors and external trackers; absent members stay unchanged. */
export const EditRepoOption = option('EditRepoOption', {
  name: optionalText(alphaDashDot, maxSize(REPOSITORY_NAME_MAX)),
  description: optionalText(maxSize(2048)),
  website: optionalText(url, maxSize(1024)),
  private: optionalFlag(),
  template: optionalFlag(),
  archived: optionalFlag(),
  default_branch: optionalText(gitRefName, maxSize(100)),
  projects_mode: optionalText(oneOf(['', 'repo', 'owner', 'all'])),
  default_merge_style: optionalText(oneOf(styles)),
  default_update_style: optionalText(oneOf(['', 'merge', 'rebase'])),
  ...switches(),
})

function switches() {
  const names = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]
  const fields = names.map((name) => [name, optionalFlag()] as const)
  return Object.fromEntries(fields) as Record<keyof typeof SETTINGS, ReturnType<typeof optionalFlag>>
}
