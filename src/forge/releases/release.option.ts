import { describedField, flag, named, option, optionalFlag, optionalText, text } from '../protocol/fields.ts'
import { gitRefName, maxSize, required } from '../protocol/rules.ts'

/** Lists contain whole texts, so this also bounds the size of a page. */
const BODY_MAX = 131_072

const target = named(
  'Target',
  describedField(
    optionalText(maxSize(255)),
    'Branch, tag or commit at which the server makes the tag if it is missing; empty: the default branch',
  ),
)
const name = named('Title', describedField(optionalText(), 'The title; the server cuts it to 255 characters'))

/** CreateReleaseOption of the original. */
export const CreateReleaseOption = option('CreateReleaseOption', {
  tag_name: describedField(
    text(required, gitRefName, maxSize(255)),
    'Name of its tag; unless the release is a draft, the server makes a missing tag',
  ),
  tag_message: describedField(optionalText(), 'Message of a new tag, which makes it an annotated one'),
  target_commitish: target,
  name,
  body: named('Note', describedField(text(maxSize(BODY_MAX)), 'Markdown')),
  draft: named('IsDraft', describedField(flag(), 'Whether only callers who may change it see it')),
  prerelease: named('IsPrerelease', describedField(flag(), 'Whether it is not ready for everybody')),
})

/** EditReleaseOption of the original. */
export const EditReleaseOption = option('EditReleaseOption', {
  tag_name: describedField(
    optionalText(gitRefName, maxSize(255)),
    'Name of another tag; unless the release is a draft, the server makes a missing tag. The former one stays',
  ),
  target_commitish: target,
  name,
  body: named(
    'Note',
    describedField(
      optionalText(maxSize(BODY_MAX)),
      'Markdown; empty: unchanged, because clients send it so; white space alone: the notes become empty',
    ),
  ),
  draft: named(
    'IsDraft',
    describedField(optionalFlag(), 'False publishes it, and makes its tag if it is missing'),
  ),
  prerelease: named('IsPrerelease', describedField(optionalFlag(), 'Whether it is not ready for everybody')),
})
