export {
  type Announcement,
  announcementsIn,
  datePattern,
  datesIn,
  deniesEnd,
  endsIn,
  isEnd,
  judgeAnnouncement,
} from "./announcements";
export { type AnnouncementKind, announcementKinds, type Significance, type Weighed } from "./kinds";
export { frontMatterOf, isBanner, tagLinksOf } from "./markup";
export {
  capitalize,
  codePattern,
  cutText,
  foldCase,
  lineKey,
  listNames,
  lowerArticle,
  maxReadLineLength,
  nameOf,
  plainOf,
  shownOf,
  splitSentences,
  titleKey,
} from "./plain-text";
