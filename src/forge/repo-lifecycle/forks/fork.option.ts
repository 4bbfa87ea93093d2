import { REPOSITORY_NAME_MAX } from '../../accounts/names.ts'
import { describedField, option, optionalText } from '../../protocol/fields.ts'
import { alphaDashDot, maxSize } from '../../protocol/rules.ts'

/** CreateForkOption of the specification. */
export const CreateForkOption = option('CreateForkOption', {
  organization: describedField(
    optionalText(),
    'Name of the organization that gets the fork; absent: the caller',
  ),
  name: describedField(
    optionalText(alphaDashDot, maxSize(REPOSITORY_NAME_MAX)),
    'Name of the fork; absent: that of the repository',
  ),
})
