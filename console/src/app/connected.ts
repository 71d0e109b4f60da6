/** What came of an account that is connected in a window of its own. */
type Connected =
  | { readonly kind: 'connected'; readonly id: string }
  | { readonly kind: 'failed'; readonly message: string };

const channelOf = (attempt: string): BroadcastChannel => new BroadcastChannel(`everstep.connected.${attempt}`);

/** Tells the page that has begun the attempt. The window of the provider has no other way to it: its policy cuts the opener off. */
export function announceConnected(attempt: string, outcome: Connected): void {
  const channel = channelOf(attempt);
  channel.postMessage(outcome);
  channel.close();
}

/** Calls the listener with what comes of the attempt. Returns what ends the listening. */
export function onConnected(attempt: string, listener: (outcome: Connected) => void): () => void {
  const channel = channelOf(attempt);
  channel.onmessage = ({ data }: MessageEvent<Connected>) => listener(data);
  return () => channel.close();
}
