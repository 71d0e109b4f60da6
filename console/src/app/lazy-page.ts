import { lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, lazy } from 'react';

const RETRY_MS = 1_000;
const MAX_TRIES = 60;

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
export async function loadRetrying<M>(load: () => Promise<M>, tries = 1): Promise<M> {
  const retried = tries > 1;
  // Asked before the try: a server that comes back after a failed one has not refused it.
  const isUp = retried && (await answers());
  try {
    if (retried) await Promise.all([...document.querySelectorAll('link')].map(loadAgain));
    return await load();
  } catch (error) {
    if (isUp || tries >= MAX_TRIES) throw error;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    return loadRetrying(load, tries + 1);
  }
}

const answers = (): Promise<boolean> =>
  fetch('/health').then(
    ({ ok }) => ok,
    () => false,
  );

/** Style sheets of a part that could not be loaded: Vite inserts each only once. */
function loadAgain(link: HTMLLinkElement): unknown {
  if (link.rel !== 'stylesheet' || link.sheet !== null) return;
  const again = link.cloneNode() as HTMLLinkElement;
  link.replaceWith(again);
  return new Promise((resolve, reject) => {
    again.onload = resolve;
    again.onerror = () => reject(new Error(`Unable to preload CSS for ${again.href}`));
  });
}
