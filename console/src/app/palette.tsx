import { Suspense, useEffect, useSyncExternalStore } from 'react';
import { lazyPart } from './lazy-page';
import { closePalette, openPalette, paletteOpen } from './palette-state';

const load = () => import('./palette-dialog');
const PaletteDialog = lazyPart(load);
/** After the page has been shown: what is typed right after Ctrl-K goes to the palette. */
const PRELOAD_AFTER_MS = 1_000;

/** Ctrl-K: finds pages, actions, workflows, runs and guides. Loaded when it is first opened. */
export function Palette() {
  const open = useSyncExternalStore(paletteOpen.subscribe, paletteOpen.get);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (paletteOpen.get()) closePalette();
      else openPalette();
    };
    document.addEventListener('keydown', onKey);
    const preload = setTimeout(() => void load().catch(() => undefined), PRELOAD_AFTER_MS);
    return () => {
      document.removeEventListener('keydown', onKey);
      clearTimeout(preload);
    };
  }, []);
  return open ? (
    <Suspense fallback={null}>
      <PaletteDialog />
    </Suspense>
  ) : null;
}
