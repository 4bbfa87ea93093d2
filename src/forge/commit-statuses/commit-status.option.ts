import { describedField, option, optionalText, text } from '../protocol/fields.ts'
import { maxSize, oneOf, required, url } from '../protocol/rules.ts'
import { COMMIT_STATES } from './commit-status-store.ts'

/** A status to create. Without a context it is `default`. */
export const CreateStatusOption = option('CreateStatusOption', {
  state: text(required, oneOf(COMMIT_STATES)),
  target_url: describedField(optionalText(url, maxSize(2000)), 'Address of the report, http or https'),
  description: optionalText(maxSize(2000)),
  context: describedField(
    optionalText(maxSize(500)),
    'Who reports, such as `ci/build`; the newest status of each context counts. Empty: `default`',
  ),
})
