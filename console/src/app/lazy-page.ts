import { lazyRouteComponent } from '@tanstack/react-router';

const RETRY_MS = 1_000;
const MAX_TRIES = 60;

/** The component of a page, loaded when it is first shown. Tries again while the server is away, as queries do. */
export const lazyPage = <M extends Record<string, unknown>, K extends keyof M & string>(
  load: () => Promise<M>,
  name: K,
) => lazyRouteComponent(() => loadRetrying(load), name);

/** A part of the console that is loaded when it is needed. */
export async function loadRetrying<M>(load: () => Promise<M>, tries = 1): Promise<M> {
  try {
    return await load();
  } catch (error) {
    if (tries >= MAX_TRIES) throw error;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    return loadRetrying(load, tries + 1);
  }
}
