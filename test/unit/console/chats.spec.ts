import { chatBody, embedPolicy, embedSnippet, originsIn, sitesText } from '../../../console/src/model/chats';

const chat = { slug: 'bookshop', url: 'https://flows.example.com/chat/bookshop' };

describe('chats in the console', () => {
  it('the line for web sites has the colour of the workspace, where there is one', () => {
    expect(embedSnippet(chat, null)).toBe(
      '<script src="https://flows.example.com/widget.js" data-chat="bookshop" async></script>',
    );
    expect(embedSnippet(chat, '#ffcc00')).toContain(' data-color="#ffcc00" async>');
    expect(embedPolicy(chat)).toBe('script-src https://flows.example.com; frame-src https://flows.example.com');
  });

  it('web sites are read as origins, each once, and incomplete ones as they are', () => {
    expect(
      originsIn(' https://www.example.com/contact?a=1\nhttps://www.EXAMPLE.com, http://localhost:5173 \n\nshop'),
    ).toEqual(['https://www.example.com', 'http://localhost:5173', 'shop']);
    expect(sitesText({ allowed_origins: [] })).toBe('All');
    expect(sitesText({ allowed_origins: ['https://a.example', 'http://b.example'] })).toBe(
      'a.example, http://b.example',
    );
  });

  it('fields that are empty get the defaults of the server', () => {
    expect(chatBody({ title: 'Help', per_minute: '6', input_field: '' })).toEqual({
      title: 'Help',
      greeting: '',
      input_field: 'message',
      output_field: 'text',
      allowed_origins: [],
      rate_limit: { per_minute: 6, burst: 10 },
    });
  });
});
