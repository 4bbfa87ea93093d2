import { REPOSITORY_NAME_MAX } from '../accounts/names.ts'
import { aFlag, integers, option, someFlag, someText, text } from '../protocol/fields.ts'
import { alphaDashDot, gitRefName, maxSize, oneOf, required, url } from '../protocol/rules.ts'
import { SETTINGS } from './repo.shape.ts'

/** CreateRepoOption of the specification. */
export const CreateRepoOption = option({
  name: text(required, alphaDashDot, maxSize(REPOSITORY_NAME_MAX)),
  description: text(maxSize(2048)),
  private: aFlag(),
  issue_labels: text(maxSize(255)),
  auto_init: aFlag(),
  template: aFlag(),
  gitignores: text(),
  license: text(maxSize(100)),
  readme: text(maxSize(255)),
  default_branch: text(gitRefName, maxSize(100)),
  /** Accepted for compatibility and ignored: this server signs no commits. */
  trust_model: text(),
  object_format_name: text(maxSize(6), oneOf(['', 'sha1', 'sha256'])),
})

/** TransferRepoOption of the original. */
export const TransferRepoOption = option({ new_owner: text(required), team_ids: integers() })

const styles = ['', 'merge', 'rebase', 'rebase-merge', 'squash', 'fast-forward-only', 'manually-merged']

/** EditRepoOption of the specification, without mirrors and external trackers; absent members stay unchanged. */
export const EditRepoOption = option({
  name: someText(alphaDashDot, maxSize(REPOSITORY_NAME_MAX)),
  description: someText(maxSize(2048)),
  website: someText(url, maxSize(1024)),
  private: someFlag(),
  template: someFlag(),
  archived: someFlag(),
  default_branch: someText(gitRefName, maxSize(100)),
  projects_mode: someText(oneOf(['', 'repo', 'owner', 'all'])),
  default_merge_style: someText(oneOf(styles)),
  default_update_style: someText(oneOf(['', 'merge', 'rebase'])),
  ...switches(),
})

function switches() {
  const names = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]
  const fields = names.map((name) => [name, someFlag()] as const)
  return Object.fromEntries(fields) as Record<keyof typeof SETTINGS, ReturnType<typeof someFlag>>
}
