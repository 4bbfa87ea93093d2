import type { Routes } from '../http/route/api.ts'
import { getHealth } from './health.ts'
import { createMedia, deleteMedia, listMedia } from './media.ts'
import { changeNews, createNews, deleteNews, getNews, listNews } from './news.ts'
import { getSentPicture, uploadPicture } from './pictures.ts'
import type { Publishers, SiteTools } from './route.ts'
import { endSession, startSession } from './sessions.ts'
import { getOverview, listCurrentUsers } from './stats.ts'
import { streamOverview } from './stream/stream.ts'

/** The operations of the site, by `operationId`; `publishers` decides who may publish news and media. */
export const siteRoutes = (publishers: Publishers): Routes<SiteTools> => ({
  getHealth,
  listNews,
  createNews: createNews(publishers),
  getNews,
  changeNews: changeNews(publishers),
  deleteNews: deleteNews(publishers),
  listMedia,
  createMedia: createMedia(publishers),
  deleteMedia: deleteMedia(publishers),
  uploadPicture: uploadPicture(publishers),
  getSentPicture,
  getOverview,
  listCurrentUsers,
  startSession,
  endSession,
  streamOverview,
})
