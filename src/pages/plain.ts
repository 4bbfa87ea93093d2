/**
 * Markdown without its most common marks, for the beginning of a post in a list. A part of a text cannot be rendered: its
 * lists and code blocks may have no end.
 */
export const plainOf = (markdown: string): string =>
  markdown
    .replace(/^(?:```|~~~).*$/gm, '')
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/^(?:#{1,6}|>|[-*+]) /gm, '')
    .replace(/\*\*|__|~~|`/g, '')
    .trim()
