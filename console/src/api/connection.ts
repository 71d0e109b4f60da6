import { createStore } from '../model/store';

const state = createStore<'ok' | 'lost'>('ok');

/** Whether the last request has reached the server. */
export const connection = {
  subscribe: state.subscribe,
  get: state.get,
  reached: () => state.set('ok'),
  lost: () => state.set('lost'),
};
