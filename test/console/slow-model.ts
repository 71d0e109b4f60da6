/** A reply that the model has begun, and ends when the test says so. */
export interface SlowReply {
  end(): void;
}

let held: Promise<void> | null = null;

/** Holds the next replies after their first half. */
export function holdReplies(): SlowReply {
  let end = (): void => {};
  held = new Promise((resolve) => (end = resolve));
  return {
    end() {
      held = null;
      end();
    },
  };
}

/** What the model writes to a visitor: how many messages it was given, in Markdown, with HTML that must stay text. */
export async function* replyInPieces(messages: number): AsyncGenerator<string> {
  const until = held;
  yield `Call me **Ishmael**. `;
  await until;
  yield `You wrote ${messages} ${messages === 1 ? 'message' : 'messages'}.\n\n`;
  yield `- [A whale](https://example.com/whale)\n- <img src=x onerror=alert(1)>\n`;
}
