import { casesOf } from './case-builders';

const { gives, fails } = casesOf({ api_key: '0123456789abcdef' }, { authorization: null });

const KEY = { appid: '0123456789abcdef' };
const BERLIN = { lat: 52.52, lon: 13.4 };
const POINT = { lat: '52.52', lon: '13.4' };
const PLACE = { name: 'Berlin', country: 'DE', ...BERLIN };

export const cases = [
  gives(
    ['find_place', 'where it is'],
    { q: 'Berlin,DE' },
    ['GET /geo/1.0/direct', { query: { q: 'Berlin,DE', limit: '5', ...KEY } }],
    [PLACE],
    { places: [PLACE], count: 1 },
  ),
  fails(
    ['find_place', 'a wrong key is rejected'],
    { q: 'Berlin,DE' },
    ['GET /geo/1.0/direct', { query: { q: 'Berlin,DE', limit: '5', ...KEY } }],
    { status: 401, json: { cod: 401, message: 'Invalid API key.' } },
    { code: 'unauthorized', message: 'OpenWeather answered 401: Invalid API key.' },
  ),
  gives(
    ['name_place', 'what is there'],
    BERLIN,
    ['GET /geo/1.0/reverse', { query: { ...POINT, limit: '5', ...KEY } }],
    [PLACE],
    { places: [PLACE], count: 1 },
  ),
  gives(
    ['get_weather', 'degrees Celsius by default'],
    { ...BERLIN, lang: 'de' },
    ['GET /data/2.5/weather', { query: { units: 'metric', ...POINT, lang: 'de', ...KEY } }],
    { name: 'Berlin', main: { temp: 21.4 }, weather: [{ main: 'Clouds', description: 'ein paar Wolken' }] },
  ),
  gives(
    ['get_forecast', 'five days'],
    { ...BERLIN, units: 'imperial' },
    ['GET /data/2.5/forecast', { query: { units: 'imperial', ...POINT, ...KEY } }],
    { cnt: 1, list: [{ dt_txt: '2026-08-30 15:00:00', main: { temp: 70 } }] },
  ),
  gives(['get_air_quality', 'the air'], BERLIN, ['GET /data/2.5/air_pollution', { query: { ...POINT, ...KEY } }], {
    list: [{ main: { aqi: 2 }, components: { pm2_5: 4.1 } }],
  }),
  fails(
    ['get_weather', 'a limit may be tried again'],
    BERLIN,
    ['GET /data/2.5/weather', { query: { units: 'metric', ...POINT, ...KEY } }],
    { status: 429, json: { cod: 429, message: 'Your account is temporary blocked due to exceeding of requests.' } },
    { code: 'rate_limited', message: 'temporary blocked', retryable: true },
  ),
];
