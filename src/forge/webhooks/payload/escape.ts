/** Escapes text for Markdown with backslash escapes, so that it contains no markup, link or mention. */
export const escapeMarkdown = (text: string) => text.replace(/[\\`*_[\]<>~|@]/g, '\\$&')

/**
 * Replaces brackets for the reduced Markdown of DingTalk and WeCom, which has no escapes: no link, tag or mention
 * remains.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll('[', '［').replaceAll(']', '］').replaceAll('<', '＜').replaceAll('>', '＞')
}

/** Slack, "Formatting text": escapes its three special characters. The bar, which ends an address, has no escape. */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('|', '¦')
}
