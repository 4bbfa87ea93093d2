import type { Routes } from '../http/route/api.ts'
import { getHealth } from './health.ts'
import { createMedia, deleteMedia, listMedia } from './media.ts'
import { getSite, nameSite } from './name.ts'
import { changeNews, createNews, deleteNews, getNews, listNews } from './news.ts'
import { getSentPicture, getThumbnail, uploadPicture } from './pictures.ts'
import type { Publishers, SiteTools } from './route.ts'
import { endSession, startSession } from './sessions.ts'
import { getOverview, listCurrentUsers, streamOverview } from './stats.ts'

/** Access checks for changes of the site. */
export interface SiteRights {
  /** News, and media by their addresses. */
  publishers: Publishers
  /** Changes and removals of what was published. */
  correctors: Publishers
  /** Pictures: their bytes are stored, so that not everybody may send them where everybody may publish. */
  uploaders: Publishers
  /** Its name. */
  administrators: Publishers
}

/** The operations of the site, by `operationId`. */
export const siteRoutes = ({
  publishers,
  correctors,
  uploaders,
  administrators,
}: SiteRights): Routes<SiteTools> => ({
  getHealth,
  getSite,
  nameSite: nameSite(administrators),
  listNews,
  createNews: createNews(publishers),
  getNews,
  changeNews: changeNews(correctors),
  deleteNews: deleteNews(correctors),
  listMedia,
  createMedia: createMedia(publishers),
  deleteMedia: deleteMedia(correctors),
  uploadPicture: uploadPicture(uploaders),
  getSentPicture,
  getThumbnail,
  getOverview,
  listCurrentUsers,
  startSession,
  endSession,
  streamOverview,
})
