import type { BrowserContext, Locator, Page } from 'playwright-core';
import type { JsonObject } from '../../../lib/json';
import { Api } from '../../support/server';
import { type Scene, type WatchedPage, watchedPage } from '../browser';
import { account } from '../seed';

export type Scenario = (scene: Scene) => Promise<void>;

/** An account with its API, and pages of its editor. */
export interface Stage {
  readonly api: Api;
  readonly token: string;
  create(dsl: object, name?: string): Promise<string>;
  /** Opens a page of the console, and waits for the editor. */
  open(path: string, options?: OpenOptions): Promise<EditorTab>;
}

interface OpenOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Another tab of the same browser window: it shares its storage. */
  readonly beside?: EditorTab;
  readonly timezoneId?: string;
}

export interface EditorTab extends WatchedPage {
  readonly context: BrowserContext;
}

export const WIDE = { width: 1400, height: 900 };

export async function stageOf({ browser, url }: Scene): Promise<Stage> {
  const { token } = await account(url);
  const api = new Api(url);
  api.token = token;
  return {
    api,
    token,
    create: async (dsl, name = 'Sample') =>
      (await api.call<{ id: string }>('POST', '/api/v1/workflows', { name, dsl })).id,
    async open(path, { viewport = WIDE, beside, timezoneId } = {}) {
      const context = beside?.context ?? (await browser.newContext({ viewport, timezoneId }));
      const watched = await watchedPage(context);
      await watched.page.addInitScript((value) => sessionStorage.setItem('everstep.token', value), token);
      await watched.page.goto(`${url}/console${path}`);
      await watched.page.getByRole('button', { name: 'Publish' }).waitFor();
      return { ...watched, context };
    },
  };
}

/** Saved, draft, live. */
export const states = (page: Page): Locator => page.getByRole('status', { name: 'State of the document' });

export const saved = (page: Page): Promise<void> => states(page).getByText('Saved', { exact: true }).waitFor();

export async function save(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+s');
  await saved(page);
}

export const card = (page: Page, id: string): Locator => page.locator(`[role="option"]:has-text("${id}")`).first();

export const canvas = (page: Page): Locator => page.getByRole('listbox', { name: 'Steps' });

export const panel = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

/** The id of the workflow that the address names. */
export async function idOf(page: Page): Promise<string> {
  await page.waitForURL((address) => !address.pathname.endsWith('/new'));
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}

export const draftOf = async (api: Api, id: string): Promise<JsonObject | null> =>
  (await api.call<{ dsl: JsonObject } | null>('GET', `/api/v1/workflows/${id}/draft`))?.dsl ?? null;

export const liveOf = async (api: Api, id: string): Promise<JsonObject> =>
  (await api.call<{ dsl: JsonObject }>('GET', `/api/v1/workflows/${id}`)).dsl;

/** JSON text with sorted keys, to compare. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

export function expectSame(what: string, found: unknown, wanted: unknown): void {
  if (canonical(found) !== canonical(wanted))
    throw new Error(`${what} is\n${canonical(found)}\ninstead of\n${canonical(wanted)}`);
}
