import { REPOSITORY_NAME_MAX } from '../accounts/names.ts'
import {
  describedField,
  flag,
  integers,
  option,
  optionalFlag,
  optionalText,
  text,
  texts,
} from '../protocol/fields.ts'
import { alphaDashDot, gitRefName, maxSize, oneOf, required, url } from '../protocol/rules.ts'
import { COLLABORATOR_PERMISSIONS } from './collaborator-store.ts'
import { KEPT, SETTINGS, WITHOUT_EFFECT } from './repo.shape.ts'

/** A setting without effect. */
const keptFlag = describedField(optionalFlag(), WITHOUT_EFFECT)

/** CreateRepoOption of the specification. */
export const CreateRepoOption = option('CreateRepoOption', {
  name: describedField(
    text(required, alphaDashDot, maxSize(REPOSITORY_NAME_MAX)),
    'Letters, digits, `-`, `_` and `.`',
  ),
  description: text(maxSize(2048)),
  private: flag(),
  issue_labels: describedField(
    text(maxSize(255)),
    'Name of a set of labels, as `GET /label/templates` lists them',
  ),
  auto_init: describedField(
    flag(),
    'Whether the repository begins with a commit: README, and the files of `gitignores` and `license`',
  ),
  template: describedField(flag(), 'Whether it is marked as a template'),
  gitignores: describedField(text(), 'Names of templates, separated by commas; only with `auto_init`'),
  license: describedField(
    text(maxSize(100)),
    'Name of a licence, as `GET /licenses` lists them; only with `auto_init`',
  ),
  readme: describedField(text(maxSize(255)), '`Default` or empty, which is the same'),
  default_branch: describedField(text(gitRefName, maxSize(100)), 'Empty: `main`'),
  trust_model: describedField(
    text(oneOf(['', 'default', 'collaborator', 'committer', 'collaboratorcommitter'])),
    'Without effect: a signature is checked in the same way in all repositories',
  ),
  object_format_name: describedField(
    text(maxSize(6), oneOf(['', 'sha1', 'sha256'])),
    'How git hashes its objects; it cannot be changed later. Empty: `sha1`',
  ),
})

const item = (description: string) => describedField(flag(), description)

/** GenerateRepoOption of the original. */
export const GenerateRepoOption = option('GenerateRepoOption', {
  owner: describedField(text(), 'Name of the user or organization that gets the repository'),
  name: describedField(
    text(required, alphaDashDot, maxSize(REPOSITORY_NAME_MAX)),
    'Letters, digits, `-`, `_` and `.`',
  ),
  default_branch: describedField(text(gitRefName, maxSize(100)), 'Empty: as in the template'),
  description: text(maxSize(2048)),
  private: flag(),
  git_content: item(
    'Whether it begins with a commit of the files of the template, expanded by its `.gitea/template`',
  ),
  topics: item('Whether it gets the topics of the template'),
  git_hooks: item('Without effect: repositories have no hooks of their own'),
  webhooks: item('Whether it gets the webhooks of the template, which only its administrators may copy'),
  avatar: item('Whether it gets the picture of the template'),
  labels: item('Whether it gets the labels of the template'),
  protected_branch: item('Whether it gets the rules of protected branches of the template'),
})

/** TransferRepoOption of the original. */
export const TransferRepoOption = option('TransferRepoOption', {
  new_owner: describedField(
    text(required),
    'Name of the new owner, a user or an organization; unless the caller may create repositories there, it must accept',
  ),
  team_ids: describedField(integers(), 'Teams of the new owner that get the repository'),
})

const styles = ['', 'merge', 'rebase', 'rebase-merge', 'squash', 'fast-forward-only', 'manually-merged']

/** EditRepoOption of the specification, without mirrors and external trackers; absent members stay unchanged. */
export const EditRepoOption = option('EditRepoOption', {
  name: describedField(
    optionalText(alphaDashDot, maxSize(REPOSITORY_NAME_MAX)),
    'A new name; the former one redirects to it',
  ),
  description: optionalText(maxSize(2048)),
  website: describedField(optionalText(url, maxSize(1024)), 'Empty: it has none'),
  private: optionalFlag(),
  template: describedField(optionalFlag(), 'Whether it is marked as a template'),
  archived: optionalFlag(),
  default_branch: describedField(optionalText(gitRefName, maxSize(100)), 'A branch that exists'),
  projects_mode: describedField(optionalText(oneOf(['', 'repo', 'owner', 'all'])), WITHOUT_EFFECT),
  default_merge_style: describedField(
    optionalText(oneOf(styles)),
    'The way of merging that the pages offer first',
  ),
  default_update_style: describedField(
    optionalText(oneOf(['', 'merge', 'rebase'])),
    'The way in which a branch is brought up to date, unless a request names one',
  ),
  ...settingFields(),
})

function settingFields() {
  const names = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]
  const fields = names.map((name) => [name, KEPT.has(name) ? keptFlag : optionalFlag()] as const)
  return Object.fromEntries(fields) as Record<keyof typeof SETTINGS, ReturnType<typeof optionalFlag>>
}

/** AddCollaboratorOption; "" is `write`. */
export const AddCollaboratorOption = option('AddCollaboratorOption', {
  permission: describedField(text(oneOf(['', ...COLLABORATOR_PERMISSIONS])), 'Empty: `write`'),
})

/** RepoTopicOptions of the original. */
export const RepoTopicOptions = option('RepoTopicOptions', {
  topics: describedField(
    texts(),
    'All topics of the repository, 25 at most: lower-case letters, digits, `-` and `.`',
  ),
})
