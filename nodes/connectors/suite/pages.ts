import { byCursor } from '../http/pages';

/** Pages of the suite's APIs: a token in the response, which goes back in the query. */
export const tokenPages = (items: string) => byCursor({ items, cursor: 'nextPageToken', parameter: 'pageToken' });
