"""Pet names by locale, and pet categories.

Imports nothing, so that a locale can be validated without Faker. Do not add, remove or reorder
names: the generator deals from these lists, so any change gives other pets for the same seed, and
golden tests fail. The length of each list is a multiple of 16: a deck ends with a block of 16 pets,
and names do not repeat within a block.
"""

DEFAULT_LOCALE = "en_US"

CATEGORIES = (1, 2, 3, 4, 5, 6)
"""Dogs, cats, birds, small mammals, fish, and reptiles with amphibians: the contract only has
identifiers of categories, so their meaning is our choice."""

_NAMES = {
    "en_US": """
        Abby Apollo Bandit Bear Bella Biscuit Boomer Buddy Buster Cali Casper Charlie Chloe Coco
        Cooper Daisy Dexter Diesel Duke Ginger Gizmo Gracie Gus Hazel Hunter Honey Jasper Koda Lady
        Lucky Luna Maggie Marley Max Maverick Midnight Milo Mittens Mocha Moose Nala Oreo Peanut
        Pepper Piper Pumpkin Ranger Rocky Roxy Rusty Sadie Sammy Scout Shadow Smokey Snickers Sophie
        Sparky Tank Toby Tucker Willow Ziggy Zoey
    """,
    "de_DE": """
        Amy Anton Balu Bärli Bella Bello Benno Blacky Bruno Cäsar Cleo Emma Ferdi Fiete Findus
        Flecki Flitzi Flocke Frieda Fritzi Hansi Hasso Hexe Igor Kalle Karlchen Keks Kira Krümel
        Lilly Lotte Löwe Lumpi Maja Mieze Mimi Minka Mogli Moritz Muffin Murmel Nala Nero Paula
        Peterle Pauline Pünktchen Purzel Rocco Rex Romeo Rudi Schnuffi Schnurri Socke Strolch Susi
        Tapsi Tiger Trixi Waldi Wuschel Zausel Zottel
    """,
    "fr_FR": """
        Amande Athos Babouche Balto Bibi Biscotte Bouboule Boule Câline Cannelle Caramel Chaussette
        Chipie Choupette Clochette Cookie Doudou Fanfan Félix Filou Flocon Fripouille Gaston
        Gribouille Grisou Guimauve Hermine Iris Jules Kiwi Lulu Maki Mirabelle Mistigri Minette
        Minou Moka Moustache Nougat Noisette Olaf Oscar Pacha Papillon Patapouf Pépin Pirate
        Pistache Plume Poilu Pompon Praline Princesse Réglisse Roméo Rouky Saphir Simba Tango Titus
        Tigrou Vanille Violette Zébulon
    """,
    "es_ES": """
        Aceituna Bimba Blanquita Boby Bolita Brisa Bruma Canela Capitán Chispa Chiqui Churro Coco
        Copito Curro Dama Duque Estrella Fénix Flor Galleta Garbanzo Goliat Greta Kiara Lagun Laika
        Linda Lola Lucero Luna Mancha Manchitas Miel Michi Mimosa Mora Nana Nube Niebla Noa Nuca
        Ñoño Pancho Pelusa Peluso Pepa Perla Pipo Pirata Pistacho Pulga Rayo Reina Rocco Rufo Sultán
        Tina Tizón Toby Trasto Trufa Turrón Zeus
    """,
    "ja_JP": """
        モモ ソラ ココ レオ マロン チョコ モカ ハナ クロ シロ タマ ミケ トラ コテツ ムギ きなこ
        あずき だいず おもち わらび こむぎ くるみ ひなた さくら すみれ こはる ぽんず ちまき ごま
        もなか しじみ つくし ゆず みかん れんげ わさび ベル ラテ ルナ メイ リン ナナ マル フク ハチ
        ゴン チビ プリン ミルク バニラ クッキー ショコラ シナモン アポロ ジャック サスケ 小鉄 小梅
        小麦 茶々 福助 虎太郎 大福 豆助
    """,
    "ar_SA": """
        مشمش لولو سمسم بسبوسة فلفل سكر عسل كراميل بندق فستق لوزة زبيب كنافة قهوة حليب زبدة قطوطة
        بسبس عصفور ريشة وردة ياسمين نرجس فلة ليمون برتقال تفاحة توتة كرزة رمانة نعناع زعفران قمر
        نجمة هلال غيمة ثلج برق رعد شهاب غزال صقر نمر فهد أسد دبدوب أرنوب بطوط كوكو ماكس ميشو ميمي
        لوسي روكي سيمبا تيتو فوفو زيزو لولي شوشو سوسو توتي بوبي جوجو
    """,
}

LOCALES: dict[str, tuple[str, ...]] = {
    locale: tuple(names.split()) for locale, names in _NAMES.items()
}
"""Locale to names, in the locale's own script."""
