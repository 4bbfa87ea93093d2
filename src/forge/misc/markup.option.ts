import { describedField, flag, text, unstoredOption } from '../protocol/fields.ts'

const markdownMembers = {
  Text: describedField(text(), 'The text to render'),
  Mode: describedField(
    text(),
    'Dialect: `gfm`, `comment`, `wiki`, `file`, or `markdown`, which an empty one means too',
  ),
  Context: describedField(
    text(),
    'Repository as `owner/name`, or its address: what `#1` and relative links are about',
  ),
  Wiki: describedField(flag(), 'Whether it is a page of a wiki, which decides where relative links lead'),
}

export const MarkdownOption = unstoredOption('MarkdownOption', markdownMembers)
export const MarkupOption = unstoredOption('MarkupOption', {
  ...markdownMembers,
  FilePath: describedField(
    text(),
    'Name of the file, whose ending decides how it is read in the mode `file`',
  ),
})
