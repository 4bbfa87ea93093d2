/** A text without what PostgreSQL cannot store: NUL becomes U+FFFD, lone surrogates are replaced. */
export const storableText = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed()

/** The same, cut to 255 characters (the length of a column). */
export const shortText = (text: string) => storableText([...text].slice(0, 255).join(''))
