import { describe, expect, it } from 'vitest';

import { negotiateFormat } from '../../src/metrics/exposition/negotiate.js';

const text = 'text/plain; version=0.0.4; charset=utf-8';
const openMetrics = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const oldOpenMetrics = 'application/openmetrics-text; version=0.0.1; charset=utf-8';

const prometheus2 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
const prometheus3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';

describe('negotiateFormat', () => {
  it.each([
    ['no header', undefined, text],
    ['an empty header', '', text],
    ['anything', '*/*', text],
    ['any text', 'text/*', text],
    ['plain text', 'text/plain', text],
    ['Prometheus 2', prometheus2, openMetrics],
    ['Prometheus 3', prometheus3, openMetrics],
    ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', text],
    ['something that nobody serves', 'application/vnd.google.protobuf', text],
    ['OpenMetrics 1.0.0', 'application/openmetrics-text; version=1.0.0', openMetrics],
    ['a quoted version', 'application/openmetrics-text; version="1.0.0"', openMetrics],
    ['capital letters', 'Application/OpenMetrics-Text; Version=1.0.0', openMetrics],
    ['OpenMetrics without a version', 'application/openmetrics-text', oldOpenMetrics],
    ['OpenMetrics 0.0.1', 'application/openmetrics-text;version=0.0.1', oldOpenMetrics],
    ['an unknown OpenMetrics version', 'application/openmetrics-text;version=2.0.0', text],
    ['a stronger wish for text', 'application/openmetrics-text;version=1.0.0;q=0.4,text/plain;q=0.5', text],
    ['a stronger wish for anything', 'application/openmetrics-text;version=1.0.0;q=0.4,*/*', text],
    ['equal wishes, text first', 'text/plain,application/openmetrics-text;version=1.0.0', text],
    ['equal wishes, OpenMetrics first', 'application/openmetrics-text;version=1.0.0,text/plain', openMetrics],
    ['OpenMetrics ruled out', 'application/openmetrics-text;version=1.0.0;q=0', text],
    ['OpenMetrics ruled out at length', 'application/openmetrics-text;version=1.0.0;q=0.000', text],
    ['a malformed quality', 'application/openmetrics-text;version=1.0.0;q=high', text],
    ['a quality out of range', 'application/openmetrics-text;version=1.0.0;q=7', text],
    ['everything ruled out', '*/*;q=0', text],
  ])('the content type answers %s', (_case, accept, expected) => {
    expect(negotiateFormat(accept).contentType).toBe(expected);
  });

  it('the format is that of the content type', () => {
    expect(negotiateFormat(prometheus2).format).toBe('openmetrics');
    expect(negotiateFormat(undefined).format).toBe('text');
  });
});
