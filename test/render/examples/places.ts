import { type Example, file, gfm, link, plain, raw, repo, root, wiki } from './example.ts'

/** Wiki pages, sources and files: what a relative link means where. */
export const places: readonly Example[] = [
  {
    name: 'a wiki page links pages, accounts that exist and addresses',
    text: 'Wiki! Enjoy :)\n- [[Links, Tools, Bindings|Links]]\n- [[Tips]]\n- Curve widget (by @user4) https://code.example/owner/repo/issues/786',
    request: wiki,
    html: `<p>Wiki! Enjoy :)</p>\n<ul>\n<li><a href="${repo}/wiki/Links" rel="nofollow">Links, Tools, Bindings</a></li>\n<li><a href="${repo}/wiki/Tips" rel="nofollow">Tips</a></li>\n<li>Curve widget (by <a href="${root}/user4" rel="nofollow">@user4</a>) <a href="https://code.example/owner/repo/issues/786" rel="nofollow">https://code.example/owner/repo/issues/786</a></li>\n</ul>`,
  },
  {
    name: 'a wiki link names its page after the bar',
    text: '[[Setup-Guide / First-Steps|Setup-Guide---First-Steps]]',
    request: wiki,
    html: link(`${repo}/wiki/Setup-Guide---First-Steps`, 'Setup-Guide / First-Steps'),
  },
  { name: 'a wiki link', text: '[[Name|Link]]', request: wiki, html: link(`${repo}/wiki/Link`, 'Name') },
  { name: 'nothing is nothing', text: '', request: wiki, html: '' },
  {
    name: 'a heading has an id, a link with a host is left alone',
    text: '## What is Cold Storage?\n**Cold Storage** on website [cold-storage.example](http://cold-storage.example).',
    request: wiki,
    html: '<h2 id="user-content-what-is-cold-storage">What is Cold Storage?</h2>\n<p><strong>Cold Storage</strong> on website <a href="http://cold-storage.example" rel="nofollow">cold-storage.example</a>.</p>',
  },
  {
    name: 'a wiki link to an image shows it',
    text: '[[Configuration]]\n[[images/icon-new.png]]',
    request: wiki,
    html: `<p><a href="${repo}/wiki/Configuration" rel="nofollow">Configuration</a>\n<a href="${repo}/wiki/images/icon-new.png" rel="nofollow"><img src="${repo}/wiki/raw/images/icon-new.png" title="icon-new.png" alt="images/icon-new.png"/></a></p>`,
  },
  {
    name: 'gfm resolves links in the source view and images in the media view',
    text: '[Link](test.md)\n![Image](image.png)',
    request: gfm,
    html: `<p><a href="${repo}/src/branch/main/test.md" rel="nofollow">Link</a>\n<a href="${repo}/src/branch/main/image.png" target="_blank" rel="nofollow noopener"><img src="${repo}/media/branch/main/image.png" alt="Image"/></a></p>`,
  },
  {
    name: 'a file resolves them from its directory',
    text: '[Link](test.md)\n![Image](image.png)',
    request: file('path/new-file.md', '/user2/repo1/src/branch/main/path'),
    html: `<p><a href="${repo}/src/branch/main/path/test.md" rel="nofollow">Link</a>\n<a href="${repo}/src/branch/main/path/image.png" target="_blank" rel="nofollow noopener"><img src="${repo}/media/branch/main/path/image.png" alt="Image"/></a></p>`,
  },
  { name: 'markdown knows no wiki links', ...plain('[[Name|Link]]'), request: raw },
  {
    name: 'markdown knows no wiki links with blanks',
    ...plain('[[Setup-Guide / First-Steps|Setup-Guide---First-Steps]]'),
    request: raw,
  },
]
