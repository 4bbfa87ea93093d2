import { describedField, texts, unstoredOption } from '../../protocol/fields.ts'

/** GetFilesOptions of the original. */
export const GetFilesOptions = unstoredOption('GetFilesOptions', {
  files: describedField(texts('Required'), 'Paths of files'),
})
