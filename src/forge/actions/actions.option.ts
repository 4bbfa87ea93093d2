import { describedField, option, optionalFlag, optionalMap, optionalText, text } from '../protocol/fields.ts'
import { required } from '../protocol/rules.ts'

/** `disabled` is required, but checked last: an unknown runner is reported first. */
export const EditActionRunnerOption = option('EditActionRunnerOption', { disabled: optionalFlag() })

/** The new value of a secret. */
export const CreateOrUpdateSecretOption = option('CreateOrUpdateSecretOption', {
  data: describedField(text(required), 'The value; no answer shows it'),
  description: describedField(optionalText(), 'For people; absent: unchanged'),
})

export const CreateVariableOption = option('CreateVariableOption', {
  value: text(required),
  description: text(),
})

/** `name` renames the variable. */
export const UpdateVariableOption = option('UpdateVariableOption', {
  name: describedField(text(), 'A new name; empty: unchanged'),
  value: text(required),
  description: describedField(optionalText(), 'For people; absent: unchanged'),
})

/** The start of a workflow. Values of inputs are strings. */
export const CreateActionWorkflowDispatch = option('CreateActionWorkflowDispatch', {
  ref: describedField(text(required), 'Branch or tag whose workflow runs'),
  inputs: describedField(optionalMap(), 'Values of the inputs that the workflow declares, all as texts'),
})
