import { siteApiFor } from '../../src/site/api.ts'
import { anyone } from '../../src/site/route.ts'

/** Who may name the site and send pictures, of whom nobody asks here. */
const administrators = { ...anyone, name: 'sitePublishers(misc)', refusals: [401, 403] }

/** The site API as specified: everyone may publish. Without an event stream behind it. */
export const siteApi = siteApiFor(
  { publishers: anyone, correctors: anyone, uploaders: administrators, administrators },
  {
    feed: { serve: async () => {} },
    pictures: {
      receive: async () => Promise.reject(new Error('nothing is kept')),
      take: async () => Promise.reject(new Error('nothing is kept')),
      insert: async () => {},
      send: async () => async () => {},
    },
  },
)
