"""What activations are calibrated on: short passages of many kinds.

The ranges that they give enter the bits of vectors in int8-static: raise `VERSION` with each change.
"""

VERSION = 1

PASSAGES = (
    "The lighthouse keeper wrote every evening: wind from the west, four ships, one of them without lights. "
    "Nobody had asked him for it since the harbour was moved, and still he climbed the hundred and twelve steps "
    "with his pencil behind his ear. In March the lamp was replaced by a smaller one that needed no keeper at "
    "all. He stayed for another week, sanded the rail, oiled the hinges, and took the last notebook home.",
    "Photosynthesis turns light into chemical energy. In the thylakoid membranes, chlorophyll absorbs photons, "
    "water is split, and oxygen leaves the leaf; the Calvin cycle then fixes carbon dioxide with the ATP and "
    "NADPH that were made. C4 plants such as maize concentrate CO2 around the enzyme rubisco, which would "
    "otherwise waste a quarter of its work on oxygen when the days are hot and dry.",
    "## 3.2 Installation\n\n1. Download the archive and check its signature.\n2. Unpack it:\n\n```sh\n"
    "tar -xzf release-2.14.0.tar.gz && cd release-2.14.0\n./configure --prefix=/usr/local --enable-ssl\n"
    "make -j8 && sudo make install\n```\n\n3. Set `MAX_CONNECTIONS` in `server.conf` (default: 512).\n\n"
    "> **Note:** ports below 1024 need elevated rights. See [Troubleshooting](#troubleshooting).\n",
    "def moving_average(values: list[float], width: int = 7) -> list[float]:\n"
    '    """Mean of each value and those before it."""\n    if width < 1:\n'
    "        raise ValueError(f'width {width} must be positive')\n    total, out = 0.0, []\n"
    "    for i, value in enumerate(values):\n        total += value\n        if i >= width:\n"
    "            total -= values[i - width]\n        out.append(total / min(i + 1, width))\n    return out\n",
    "| Region | Revenue (USD m) | Change | Share |\n|---|---:|---:|---:|\n| America | 1,482.6 | +4.1 % | 47 % |\n"
    "| Europe | 903.2 | -1.8 % | 29 % |\n| Asia | 611.9 | +12.7 % | 19 % |\n| Other | 158.0 | n/a | 5 % |\n"
    "Operating income fell to $212.4 million, or $1.37 per diluted share, from $240.9 million a year earlier, "
    "as freight costs and a one-time impairment of $38 million weighed on the second half.",
    "ANNA: Did you call the landlord about the boiler?\nBEN: Twice. He says Tuesday. He said that last Tuesday.\n"
    "ANNA: lol ok. i'm bringing soup then :) do we still have bread???\nBEN: Half a loaf. And the good butter!\n"
    "[14:05] support_bot: Hi! Your ticket #48213 was closed. Rate us from 1 to 5.\n[14:06] ben_k: 2. still cold.",
    "4.1 Subject to Section 7, the Licensee shall not assign, sublicense or otherwise transfer this Agreement, "
    "whether voluntarily, by operation of law or otherwise, without the prior written consent of the Licensor, "
    "which shall not be unreasonably withheld. 4.2 Any purported assignment in breach of Section 4.1 is void. "
    "The Court of Appeal affirmed, holding that notice given on the 30th day satisfied the statute.",
    "Theorem. Let f be continuous on [a, b] and differentiable on (a, b). Then there is c in (a, b) such that "
    "f'(c) = (f(b) - f(a)) / (b - a). Proof. Apply Rolle's theorem to g(x) = f(x) - f(a) - s (x - a), where s is "
    "the slope of the chord. $\\int_0^1 x^2\\,dx = \\frac{1}{3}$, and $\\sum_{k=1}^n k = \\frac{n(n+1)}{2}$.",
    "Preheat the oven to 220 C. Rub the butter into the flour until it looks like crumbs, stir in the sugar and "
    "a pinch of salt, then add just enough cold water to bring the dough together. Chill it for half an hour. "
    "Meanwhile slice the pears thinly; a little lemon juice keeps them white. Bake until the edges are brown.",
    "The patient, a 54-year-old man with type 2 diabetes, presented with chest pain radiating to the left arm. "
    "Troponin T was 0.42 ng/mL (normal below 0.01). An ECG showed ST elevation in leads II, III and aVF; coronary "
    "angiography confirmed an occluded right coronary artery, and a stent was placed within 70 minutes.",
    "Der Zug nach Basel faehrt heute von Gleis neun, weil auf der Strecke gebaut wird. Reisende mit Fahrraedern "
    "steigen bitte am Ende des Zuges ein. - Le conseil municipal a vote hier soir le budget de la nouvelle "
    "bibliotheque : trois etages, un jardin sur le toit, et des salles ouvertes jusqu'a minuit. - El volcan "
    "llevaba dormido doscientos anos cuando los pescadores notaron que el agua de la bahia estaba tibia.",
    "\u6625\u5929\u6765\u4e86\uff0c\u6cb3\u8fb9\u7684\u67f3\u6811\u53d1\u82bd\u4e86\u3002"
    "\u6771\u4eac\u306e\u5929\u6c17\u306f\u6674\u308c\u3067\u3059\u3002"
    "\u041f\u043e\u0435\u0437\u0434 \u043e\u043f\u043e\u0437\u0434\u0430\u043b \u043d\u0430 \u0447\u0430\u0441. "
    "\u0627\u0644\u0643\u062a\u0627\u0628 \u0639\u0644\u0649 \u0627\u0644\u0637\u0627\u0648\u0644\u0629. "
    "\u03a4\u03bf \u03c0\u03bb\u03bf\u03af\u03bf \u03ad\u03c6\u03c5\u03b3\u03b5. caf\u00e9, \u20ac12.50",
    '{"id": "a91f-22", "status": "failed", "retries": 3, "tags": ["billing", "eu-west-1"], "payload": {"amount": '
    '1999, "currency": "EUR"}}\n2024-03-09T17:22:41.318Z ERROR [w-7] com.example.Queue: timeout after 30000 ms\n'
    "https://example.com/docs/v2/search?q=vector+index&page=2#results  sha256:9f86d081884c7d659a2feaa0c55ad015",
    "WHEREAS the settlers of 1848 arrived by river, the second wave came along the railway, and with them the "
    "printers, brewers and watchmakers whose names still stand above the arcades. The census of 1880 counted "
    "9,412 inhabitants, two theatres, eleven churches. By 1914 the town had trams; by 1932, debts.",
    "Q: Who wrote the first symphony with a choir? A: Often Beethoven's Ninth (1824) is named.\nQ: How far is the "
    "Moon? A: 384,400 km on average.\nQ: Can penguins fly? A: No, but they swim at up to 35 km/h.\n\nTODO list: "
    "buy milk, e-mail Dr. O'Neill re: invoice no. 77-B, fix the bike (!!), call Mum @ 6 p.m. -- don't forget...",
    "In 63 games the striker scored 41 goals, a record for the club, yet it was the goalkeeper who decided the "
    "final: two penalties saved, and a third that struck the post. The crowd sang until the floodlights went out.",
)
