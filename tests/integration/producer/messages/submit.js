// Puts one message into hopline's queue over a socket, without a library, and prints the job from its result.
// Usage: node submit.js HOST PORT PASSWORD DATABASE 'JSON of the message' [KEY]
const net = require('node:net');
const { createHash, createHmac, randomUUID } = require('node:crypto');

const [host, port, password, database, text, key] = process.argv.slice(2);
const id = randomUUID();
// The key stays here: it signs the message, and its id goes along.
const sign = () => {
  const [, keyId, secret] = key.match(/^hop_([^_]+)_(.+)$/);
  const now = Math.floor(Date.now() / 1000);
  const digest = createHash('sha256').update(secret).digest('hex');
  const lines = ['hopline.submit', id, now, '', text].join('\n');
  const signature = createHmac('sha256', digest).update(lines).digest('hex');
  return { hopline_key_id: keyId, hopline_time: now, hopline_signature: signature };
};
const body = [[], key ? { signed: text } : JSON.parse(text), { callbacks: null, errbacks: null, chain: null, chord: null }];
const message = {
  body: Buffer.from(JSON.stringify(body)).toString('base64'),
  'content-encoding': 'utf-8',
  'content-type': 'application/json',
  headers: { lang: 'js', task: 'hopline.submit', id, root_id: id, parent_id: null, group: null, ...(key ? sign() : {}) },
  properties: {
    correlation_id: id,
    delivery_mode: 2,
    delivery_info: { exchange: '', routing_key: 'submissions' },
    priority: 0,
    body_encoding: 'base64',
    delivery_tag: randomUUID(),
  },
};

const encode = (...words) =>
  `*${words.length}\r\n` + words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('');
const socket = net.connect(Number(port), host, () => {
  socket.write(encode('AUTH', password) + encode('SELECT', database));
  socket.write(encode('LPUSH', 'submissions', JSON.stringify(message)));
  ask();
});
const ask = () => socket.write(encode('GET', `celery-task-meta-${id}`));
let replies = ''; // all so far: they may come in pieces
socket.on('data', (data) => {
  replies += data.toString();
  const found = replies.match(/^\{.*\}\r$/m);
  if (found) {
    process.stdout.write(JSON.stringify(JSON.parse(found[0]).result));
    socket.destroy();
  } else if (replies.endsWith('$-1\r\n')) {
    replies = ''; // there is no result yet
    setTimeout(ask, 50);
  }
});
