/** Text for Markdown that knows the backslash: nothing in it is markup, a link or a mention. */
export const escapeMarkdown = (text: string) => text.replace(/[\\`*_[\]<>~|@]/g, '\\$&')

/** Text for the reduced Markdown of DingTalk and WeCom, which knows no escapes: no link, tag or mention can be in it. */
export function withoutLinks(text: string): string {
  return text.replaceAll('[', '［').replaceAll(']', '］').replaceAll('<', '＜').replaceAll('>', '＞')
}

/** Slack, "Formatting text": three characters are its own. The bar, which ends an address, has no escape. */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('|', '¦')
}
