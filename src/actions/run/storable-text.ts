/** A text of a workflow without what PostgreSQL cannot keep. */
export const keptText = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed()

/** The same, as long as a column of 255 characters takes it. */
export const shortText = (text: string) => keptText([...text].slice(0, 255).join(''))
