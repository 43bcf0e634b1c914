// Puts one message into hopline's queue over a socket, without a library, and prints the job from its result.
// Usage: node submit.js HOST PORT PASSWORD DATABASE 'JSON of the keyword arguments'
const net = require('node:net');
const { randomUUID } = require('node:crypto');

const [host, port, password, database, kwargs] = process.argv.slice(2);
const id = randomUUID();
const body = [[], JSON.parse(kwargs), { callbacks: null, errbacks: null, chain: null, chord: null }];
const message = {
  body: Buffer.from(JSON.stringify(body)).toString('base64'),
  'content-encoding': 'utf-8',
  'content-type': 'application/json',
  headers: { lang: 'js', task: 'hopline.submit', id, root_id: id, parent_id: null, group: null },
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
