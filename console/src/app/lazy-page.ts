import { lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, lazy } from 'react';
import { publicApi } from '../api/client';

const RETRY_MS = 1_000;
const MAX_AWAY_MS = 60_000;

/** Style sheets of the console that could not be loaded: Vite inserts each only once. */
const failedSheets = new Set<HTMLLinkElement>();
document.addEventListener(
  'error',
  ({ target }) => {
    const isSheet = target instanceof HTMLLinkElement && target.rel === 'stylesheet';
    if (isSheet && target.href.startsWith(location.origin)) failedSheets.add(target);
  },
  true,
);

/** The component of a page, loaded when it is first shown. Tries again while the server is away, as queries do. */
export const lazyPage = <M extends Record<string, unknown>, K extends keyof M & string>(
  load: () => Promise<M>,
  name: K,
) => lazyRouteComponent(() => loadRetrying(load), name);

/** A part of a page, loaded when it is first shown, as pages are. */
export const lazyPart = <P extends object>(load: () => Promise<{ default: ComponentType<P> }>) =>
  lazy(() => loadRetrying(load));

/**
 * A part of the console that is loaded when it is needed. Rejects when the server answers but does not have the part, as
 * after an update, or has been away for a minute.
 */
export async function loadRetrying<M>(load: () => Promise<M>): Promise<M> {
  const deadline = Date.now() + MAX_AWAY_MS;
  // Asked before a try: a server that comes back after a failed one has not refused it.
  for (let isUp = false; ; isUp = await answers()) {
    try {
      await Promise.all([...failedSheets].map(loadAgain));
      return await load();
    } catch (error) {
      if (isUp || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

const answers = (): Promise<boolean> =>
  publicApi.health.check_health().then(
    () => true,
    () => false,
  );

function loadAgain(sheet: HTMLLinkElement): Promise<unknown> {
  failedSheets.delete(sheet);
  const again = sheet.cloneNode() as HTMLLinkElement;
  sheet.replaceWith(again);
  return new Promise((resolve, reject) => {
    again.onload = resolve;
    again.onerror = () => reject(new Error(`Unable to preload CSS for ${again.href}`));
  });
}
