import type { ServerResponse } from 'node:http';
import type { Branding } from '../../../contracts/auth/branding';
import { sendText } from '../http/answer';
import { type PageHeaders, pageHeaders, type PublicPage } from './layout';

interface Sent extends PageHeaders {
  readonly status: number;
  readonly page: PublicPage;
  readonly branding: Branding;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Sends a page for people without an account. */
export function sendPublicPage(response: ServerResponse, { status, page, headers = {}, ...about }: Sent): void {
  sendText(response, status, 'text/html; charset=utf-8', page(about.branding), {
    ...pageHeaders(about),
    ...headers,
  });
}
