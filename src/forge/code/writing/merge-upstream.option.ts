import { describedField, flag, option, text } from '../../protocol/fields.ts'

/** MergeUpstreamRequest of the specification. */
export const MergeUpstreamRequest = option('MergeUpstreamRequest', {
  branch: describedField(
    text(),
    'Name of the branch in both repositories; empty: the default branch of the fork',
  ),
  ff_only: describedField(flag(), 'Whether the branch only moves if it has no commits of its own'),
})
