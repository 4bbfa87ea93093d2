/** Whether the title of a pull request says that it is work in progress, which is not to be merged yet. */
export const isDraft = ({ title }: { readonly title: string }): boolean => /^(?:WIP:|\[WIP\])/i.test(title)
