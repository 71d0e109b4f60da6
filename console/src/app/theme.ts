import { useSyncExternalStore } from 'react';
import { createStore } from '../model/store';

export type Theme = 'system' | 'light' | 'dark';

/** The same key as in public/theme.js, which applies the theme before the first paint. */
const KEY = 'everstep.theme';

const stored = localStorage.getItem(KEY);
const theme = createStore<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system');

export function setTheme(next: Theme): void {
  if (next === 'system') {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(KEY, next);
    document.documentElement.dataset.theme = next;
  }
  theme.set(next);
}

export const useTheme = (): Theme => useSyncExternalStore(theme.subscribe, theme.get);
