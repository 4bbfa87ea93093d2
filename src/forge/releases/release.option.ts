import { describedField, flag, named, option, optionalFlag, optionalText, text } from '../protocol/fields.ts'
import { gitRefName, maxSize, required } from '../protocol/rules.ts'

/** Lists contain whole texts, so this also bounds the size of a page. */
const BODY_MAX = 131_072

const target = named(
  'Target',
  describedField(
    optionalText(maxSize(255)),
    'Branch, tag or commit at which the tag is made if there is none; empty: the default branch',
  ),
)
const name = named('Title', describedField(optionalText(), 'The title, of which 255 characters are kept'))

/** CreateReleaseOption of the original. */
export const CreateReleaseOption = option('CreateReleaseOption', {
  tag_name: describedField(
    text(required, gitRefName, maxSize(255)),
    'Name of its tag, which is made if there is none, unless it is a draft',
  ),
  tag_message: describedField(optionalText(), 'Makes the new tag an annotated one'),
  target_commitish: target,
  name,
  body: named('Note', describedField(text(maxSize(BODY_MAX)), 'Markdown')),
  draft: named('IsDraft', describedField(flag(), 'Whether only those see it who may change it')),
  prerelease: named('IsPrerelease', describedField(flag(), 'Whether it is not ready for everybody')),
})

/** EditReleaseOption of the original. */
export const EditReleaseOption = option('EditReleaseOption', {
  tag_name: describedField(
    optionalText(gitRefName, maxSize(255)),
    'Name of another tag, which is made if there is none, unless it is a draft; the former one stays',
  ),
  target_commitish: target,
  name,
  body: named(
    'Note',
    describedField(optionalText(maxSize(BODY_MAX)), 'Markdown; empty: it stays, as clients send it'),
  ),
  draft: named(
    'IsDraft',
    describedField(optionalFlag(), 'False publishes it, and makes its tag if there is none'),
  ),
  prerelease: named('IsPrerelease', describedField(optionalFlag(), 'Whether it is not ready for everybody')),
})
