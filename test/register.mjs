import { register } from 'node:module'

// node --import ./test/register.mjs --test test/site/news.test.ts
register('./support/loader.mjs', import.meta.url)
